"""Reports for compliance: one file for each report, a plain function from the record to a `desk.report.content.Report`."""
