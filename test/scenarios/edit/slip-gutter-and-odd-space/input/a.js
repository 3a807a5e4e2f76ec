/*
 * Copyright (c) Redis
 * All rights reserved
 */
