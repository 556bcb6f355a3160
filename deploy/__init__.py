"""Services that run next to Discard Rack in development and on a property's machines."""
