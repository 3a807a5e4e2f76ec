Here you see if there is consensus.

2. When you get an acknowledgment, use the
   following procedure to submit:
