import type {
  DeleteQueryBuilder,
  DeleteResult,
  Selectable,
  SelectQueryBuilder,
  UpdateQueryBuilder,
} from 'kysely';
import type { Schema } from './engine/generated.ts';
import type { Database } from './transaction.ts';

type Own = { readonly db: Database; readonly tenantId: string };
type OwnTable = { [T in keyof Schema]: Schema[T] extends { tenant_id: unknown } ? T : never }[keyof Schema];
type Selecting<T extends OwnTable> = SelectQueryBuilder<Schema, T, object>;
type Updating<T extends OwnTable> = UpdateQueryBuilder<Schema, T, T, { numUpdatedRows: bigint }>;
type Deleting<T extends OwnTable> = DeleteQueryBuilder<Schema, T, DeleteResult>;

/** Columns that have these values in all rows. */
type Equal<T extends OwnTable> = Partial<Selectable<Schema[T]>>;

/** Kysely cannot resolve the columns of a table that is a type parameter. `Equal` has checked them. */
function narrow<Q>({ tenantId }: Own, query: unknown, equal: object): Q {
  type Query = { where: (column: string, operator: '=' | 'is', value: unknown) => Query };
  return Object.entries({ tenant_id: tenantId, ...equal }).reduce(
    (query, [column, value]) => query.where(column, value === null ? 'is' : '=', value),
    query as Query,
  ) as Q;
}

/** Selects from the tenant's rows with these values. */
export const ownRows = <T extends OwnTable>(ctx: Own, table: T, equal: Equal<T> = {}) =>
  narrow<Selecting<T>>(ctx, ctx.db.selectFrom(table as OwnTable), equal);

/** Updates the tenant's rows with these values. */
export const updateOwn = <T extends OwnTable>(ctx: Own, table: T, equal: Equal<T> = {}) =>
  narrow<Updating<T>>(ctx, ctx.db.updateTable(table as OwnTable), equal);

/** Deletes the tenant's rows with these values. */
export const deleteOwn = <T extends OwnTable>(ctx: Own, table: T, equal: Equal<T> = {}) =>
  narrow<Deleting<T>>(ctx, ctx.db.deleteFrom(table as OwnTable), equal);
