p = re.compile('\d+')
q = 1
