int	count;	/* all */
int others;
