import { sql } from 'kysely';
import type { LogoType } from '../../../../standards/logo.ts';
import { ownRows } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { audit } from '../audit/chain.ts';
import { type Branding, type BrandingChange, knownBranding, logoPath } from './branding.ts';
import { type Logo, readLogo } from './read-logo.ts';

const select = (ctx: TenantContext) =>
  ownRows(ctx, 'branding')
    .select(['colour', 'logo_name', 'logo_type', 'logo_width', 'logo_height', 'updated_at'])
    .select(sql<number | null>`octet_length(logo)`.as('bytes'));

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirst']>>;

/** The settings as the operator and administrators see them. */
export async function readBranding(ctx: TenantContext): Promise<Branding> {
  return toBranding(ctx, await select(ctx).executeTakeFirst());
}

const noLogo = { logo: null, logo_name: null, logo_type: null, logo_width: null, logo_height: null };

function columnsOf({ content, name, type, width, height }: Logo) {
  return { logo: content, logo_name: name, logo_type: type, logo_width: width, logo_height: height };
}

/** Changes the given fields; the others keep their values. */
export async function changeBranding(ctx: TenantContext, input: BrandingChange): Promise<Branding> {
  const logo = input.Logo ? readLogo(Buffer.from(input.Logo, 'base64')) : null;
  const colour = input.Colour?.toLowerCase() ?? null;
  const branding = await transaction(ctx, async (ctx) => {
    const before = await select(ctx).forUpdate().executeTakeFirst();
    const Changed = [
      ...(input.Colour !== undefined && colour !== (before?.colour ?? null) ? ['Colour'] : []),
      ...(input.Logo !== undefined && (logo?.name ?? null) !== (before?.logo_name ?? null) ? ['Logo'] : []),
    ];
    if (Changed.length === 0) return toBranding(ctx, before);
    const fields = {
      ...(input.Colour !== undefined && { colour }),
      ...(input.Logo !== undefined && (logo ? columnsOf(logo) : noLogo)),
      updated_at: ctx.now(),
    };
    await ctx.db
      .insertInto('branding')
      .values({ tenant_id: ctx.tenantId, ...fields })
      .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(fields))
      .execute();
    const targetId = ctx.tenantId;
    await audit(ctx, 'branding.changed', targetId, { Changed });
    return toBranding(ctx, await select(ctx).executeTakeFirst());
  });
  knownBranding.forget(ctx, ctx.tenantId);
  return branding;
}

function toBranding(ctx: TenantContext, row: Row): Branding {
  if (!row) return { Colour: null, Logo: null, UpdatedAt: null };
  const { colour, logo_name: name, logo_width: Width, logo_height: Height, bytes: Bytes } = row;
  const hasLogo = name !== null && Width !== null && Height !== null && Bytes !== null;
  const URL = `${ctx.config.baseUrl}${logoPath(ctx.tenantId, name ?? '')}`;
  return {
    Colour: colour,
    // The database holds only the types that `readLogo` returns.
    Logo: hasLogo ? { URL, Type: row.logo_type as LogoType, Width, Height, Bytes } : null,
    UpdatedAt: row.updated_at.toISOString(),
  };
}
