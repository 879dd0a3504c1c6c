import type { TenantContext } from '../../platform/context.ts';
import { runInOrder } from '../../platform/db/batches.ts';
import type { RowDone } from '../../platform/rows/work-rows.ts';

const capitals =
  'ẞÆŒÞØĐÐŁĦŊΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ';
const small =
  'ßæœþøđðłħŋαβγδεζηθικλμνξοπρσστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ';

/**
 * Without case and surrounding spaces, whatever the locale of the database. The index `user_by_caseless_login` has the same
 * expression. Letters with accents are decomposed, so the lists contain only letters without them.
 */
const caseless = (id: string) =>
  `(lower(translate(normalize(btrim(${id}), nfd), '${capitals}', '${small}') collate "C") collate "C")`;

/** More users may differ only in case. Any of them is enough for a warning. */
const maxVariants = 10;

/** One user for each LoginID. The range and the order are those of the index, for `runInOrder`. */
export const similarUsersText = `with asked as materialized (
  select login_id, ${caseless('login_id')} as folded from unnest($2::text[]) sent(login_id)
), similar_user as materialized (
  select folded, (
    select min(variant.login_id) from (
      select held.login_id from "user" held where held.tenant_id = $1
        and ${caseless('held.login_id')} >= one.folded and ${caseless('held.login_id')} <= one.folded
      order by ${caseless('held.login_id')} limit ${maxVariants}
    ) variant
  ) as login_id
  from (select distinct folded from asked) one
)
select asked.login_id as asked, similar_user.login_id as found
from asked join similar_user using (folded) where similar_user.login_id is not null`;

type Planned = PromiseSettledResult<RowDone>;

/**
 * Adds `SimilarLoginID` to each planned row that would create a user whose LoginID differs only in case or surrounding
 * spaces from an existing one.
 */
export async function withSimilarUsers<Row extends Planned>(
  ctx: TenantContext,
  planned: Row[],
): Promise<Row[]> {
  const created = planned.flatMap((one) =>
    one.status === 'fulfilled' && one.value.Status === 201 ? [String(one.value.LoginID)] : [],
  );
  if (created.length === 0) return planned;
  const rows = await runInOrder<{ asked: string; found: string }>(ctx, {
    name: 'similar_users',
    text: similarUsersText,
    values: [ctx.tenantId, created],
  });
  const similar = new Map(rows.map(({ asked, found }) => [asked, found]));
  return planned.map((one) => {
    const found = one.status === 'fulfilled' && similar.get(String(one.value.LoginID));
    return found ? { ...one, value: { ...one.value, SimilarLoginID: found } } : one;
  });
}
