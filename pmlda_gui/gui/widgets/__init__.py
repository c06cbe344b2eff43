"""Small plots and labels that views, panels and dialogs share."""
