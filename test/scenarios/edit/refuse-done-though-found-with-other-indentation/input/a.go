impl A {
    fn b() {
        Ok(C {
            name,
        })
        .into())
    }
    }
}

fn d() {}
