"""What runs beside Discard Rack in development and on a property's machines."""
