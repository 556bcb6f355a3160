-- grain: finding_id
-- renewed by: review
-- Where the review of each finding stands that anybody spoke of: when somebody first did, and the disposition that stands.
SELECT DISTINCT ON (finding_id)
    finding_id,
    state,
    assigned_to,
    disposition,
    amount_cents,
    first_at_us,
    settled_at_us
FROM raw_reviews
ORDER BY finding_id
