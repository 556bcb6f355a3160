"""Reports that compliance files: what one consists of, and how it becomes a signed PDF and CSV.

What they contain: `analytics.reports`.
"""
