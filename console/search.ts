/** The state of a page is in its address: the tenant an operator acts on, and the filters. All values are text. */
export type Search = Partial<Record<string, string>>;
