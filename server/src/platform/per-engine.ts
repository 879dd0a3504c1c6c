/** State that belongs to one open database, not to the module: tests open several in one process. */
export function perEngine<V>(create: () => V): (ctx: { engine: object }) => V {
  const values = new WeakMap<object, V>();
  return ({ engine }) => {
    const value = values.get(engine) ?? create();
    values.set(engine, value);
    return value;
  };
}
