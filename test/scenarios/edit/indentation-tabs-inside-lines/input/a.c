int	count;	/* all */
int other;
