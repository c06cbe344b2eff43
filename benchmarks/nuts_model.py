"""PM-LDA in numpyro, sampled by NUTS; run in an environment of its own.

usage: nuts_model.py DATA.npz WARMUP DRAWS, prints the minimum ESS and the seconds of sampling.
"""

from __future__ import annotations

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.diagnostics import effective_sample_size
from numpyro.infer import MCMC, NUTS

numpyro.enable_x64()


def model(words, document, documents, topics, rate, centre, covariance, low, high, most):
    proportions = numpyro.sample("pi", dist.Dirichlet(jnp.ones(topics)).expand([documents]))
    scaling = numpyro.sample("s", dist.Exponential(rate).expand([documents]))
    means = numpyro.sample("mu", dist.Uniform(low, high).expand([topics, len(low)]).to_event(2))
    numpyro.factor("mu prior", dist.MultivariateNormal(centre, covariance).log_prob(means).sum())
    variance = numpyro.sample("variance", dist.Uniform(0.0, most))
    concentration = (scaling[:, None] * proportions)[document]
    memberships = numpyro.sample("z", dist.Dirichlet(concentration))
    numpyro.sample("x", dist.Normal(memberships @ means, jnp.sqrt(variance)), obs=words)


def main() -> None:
    data = dict(np.load(sys.argv[1]))
    warmup, draws = int(sys.argv[2]), int(sys.argv[3])
    topics, documents = int(data.pop("topics")), int(data.pop("documents"))
    arguments = {name: jnp.asarray(value) for name, value in data.items()}
    sampler = MCMC(NUTS(model), num_warmup=warmup, num_samples=draws, progress_bar=False)
    key = jax.random.PRNGKey(0)
    sampler.warmup(key, documents=documents, topics=topics, **arguments)
    started = time.perf_counter()
    sampler.run(key, documents=documents, topics=topics, **arguments)
    seconds = time.perf_counter() - started
    sizes = []
    for name, values in sampler.get_samples(group_by_chain=True).items():
        flat = np.asarray(values).reshape(1, draws, -1)
        flat = flat if name != "z" else flat[..., :: max(1, flat.shape[-1] // 600)]
        sizes.append(float(np.nanmin(effective_sample_size(flat))))
    print(json.dumps({"ess": min(sizes), "seconds": seconds}))


if __name__ == "__main__":
    main()
