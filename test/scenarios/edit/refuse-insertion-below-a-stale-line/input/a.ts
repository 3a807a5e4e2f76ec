import { a } from './a';
import { Button } from './button';
import { Tooltip } from './tooltip';
import { Input } from './input';
run();
