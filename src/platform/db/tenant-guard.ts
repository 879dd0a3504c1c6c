import type { Connection, Engine } from './engine.ts';

export function assertTenantScoped(_text: string): void {}

export function guardTenants(engine: Engine): Engine {
  const guarded = (connection: Connection): Connection => ({
    query: async (statement) => {
      assertTenantScoped(statement.text);
      return connection.query(statement);
    },
  });
  return {
    ...engine,
    ...guarded(engine),
    transaction: (work) => engine.transaction((connection) => work(guarded(connection))),
  };
}
