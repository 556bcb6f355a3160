"""What compliance files: one file per report, each a plain function from the record to a `replay.report.content.Report`."""
