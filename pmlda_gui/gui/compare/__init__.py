"""PM-LDA beside other methods, on the images and settings that are open."""
