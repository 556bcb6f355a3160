"""What several pages share: where pages ask and draw, the desk, what is taken away, and panels of Queue, Round and Floor."""
