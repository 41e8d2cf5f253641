"""The shapes of requests and replies, from which checks and the OpenAPI document come."""
