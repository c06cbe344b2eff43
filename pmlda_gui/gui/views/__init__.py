"""What is looked at: linked pictures, the trace, the feature scatter, the read-out."""
