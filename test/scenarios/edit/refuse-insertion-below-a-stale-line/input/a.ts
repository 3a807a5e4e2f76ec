import { a } from "./a";
import { Button } from "./button";
import { Input } from "./input";
import { Tooltip } from "./tooltip";

run();
