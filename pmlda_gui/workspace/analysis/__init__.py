"""Questions asked of the map: profiles, regions, measurements, and how many topics there are."""
