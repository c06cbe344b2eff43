"""Files to images, images to features and documents, and synthetic scenes."""
