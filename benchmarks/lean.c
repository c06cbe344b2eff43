/* A lean scalar pass of Algorithm 1 over the memberships, as the yardstick for `paper`:
   one Dirichlet(1) proposal a word, accepted by the ratio of word and membership density. */
#include <math.h>
#include <stdint.h>

static inline double uniform(uint64_t *state) {
    uint64_t x = *state;
    x ^= x << 13; x ^= x >> 7; x ^= x << 17;
    *state = x;
    return ((x >> 11) + 0.5) * 0x1p-53;
}

long propose(const double *words, double *z, double *density, const long *offsets, long documents,
             const double *concentration, const double *means, double precision,
             long topics, long features, uint64_t seed) {
    long accepted = 0;
    uint64_t state = seed * 2654435769u + 1;
    double e[16], logs[16];
    for (long d = 0; d < documents; d++) {
        const double *a = concentration + d * topics;
        for (long n = offsets[d]; n < offsets[d + 1]; n++) {
            double total = 0.0, score = 0.0;
            for (long k = 0; k < topics; k++) { e[k] = -log(uniform(&state)); total += e[k]; }
            for (long k = 0; k < topics; k++) { e[k] /= total; logs[k] = log(e[k]); }
            for (long q = 0; q < features; q++) {
                double r = words[n * features + q];
                for (long k = 0; k < topics; k++) r -= e[k] * means[k * features + q];
                score -= 0.5 * precision * r * r;
            }
            for (long k = 0; k < topics; k++) score += (a[k] - 1.0) * logs[k];
            if (log(uniform(&state)) <= score - density[n]) {
                density[n] = score;
                for (long k = 0; k < topics; k++) z[n * topics + k] = e[k];
                accepted++;
            }
        }
    }
    return accepted;
}
