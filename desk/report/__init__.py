"""Reports that compliance files: their content and their form as a signed PDF and CSV. Their figures: `analytics.reports`."""
