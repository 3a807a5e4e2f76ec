/*
 * Copyright (c) Redis
void f(void);
 * All rights reserved
 */
