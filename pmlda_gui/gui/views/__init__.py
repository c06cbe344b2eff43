"""Views: linked pictures, the trace, the feature scatter and the read-out."""
