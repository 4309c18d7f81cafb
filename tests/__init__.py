"""The evidence: what the product is shown to do, duty by duty."""
