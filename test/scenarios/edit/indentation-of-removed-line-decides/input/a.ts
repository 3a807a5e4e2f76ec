import { a } from "./constants.js";

/**
 * @name toDate
 */
