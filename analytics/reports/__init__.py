"""What compliance files: one file per report, each a plain function from the record to a `desk.report.content.Report`."""
