type Options struct {
	Name          string
	Status        CommitStatus
}
