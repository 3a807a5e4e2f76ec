import { b } from "./construct.js";

/**
 * @name toDate
 */
