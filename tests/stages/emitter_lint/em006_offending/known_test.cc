// Read by emitter_lint_test; never compiled.
