// The same functions for import.
import local from "./index.js";

export const start = local.start;
export default local;
