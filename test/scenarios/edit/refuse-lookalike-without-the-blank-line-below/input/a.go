	for {
		}
		ctx := with(req, repl)
		req = req.With(ctx)
		add(repl, req)

	next()
	}
	for {
		}
		repl := caddy.New()
		ctx := with(req, repl)
		req = req.With(ctx)
		add(repl, req)
		go on()
	}
