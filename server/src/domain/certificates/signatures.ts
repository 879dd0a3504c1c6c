import type { CertificateInput } from '../../../../certificates/src/types.ts';
import { ownRows } from '../../db/own-rows.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { logoNameLength } from '../tenants/branding.ts';
import { type Logo, readLogo } from '../tenants/read-logo.ts';
import type { TemplateRule } from './record/schemas.ts';

type Signature = TemplateRule['Signatures'][number];
type Image = NonNullable<CertificateInput['Logo']>;

const reject = (detail: string) => invalid('Signatures', detail);

/** A sent picture, checked like a logo. null: the name of one that is stored. */
function readPicture(sent: string): Logo | null {
  if (sent.length <= logoNameLength) return null;
  try {
    const picture = readLogo(Buffer.from(sent, 'base64'));
    if (picture.type !== 'image/webp') return picture;
  } catch (error) {
    throw error instanceof Problem ? reject(error.message) : error;
  }
  throw reject('A PDF cannot show WebP images. Save the signature as a PNG or JPEG image.');
}

/** The image with this name, which never changes. */
export async function findImage(ctx: TenantContext, name: string | null): Promise<Image | null> {
  if (name === null) return null;
  const row = await ownRows(ctx, 'certificate_image', { name })
    .select(['type', 'width', 'height', 'content'])
    .executeTakeFirst();
  return row ?? null;
}

/** Stores the pictures, and returns the signatures with their names. */
export async function keepSignatures(
  ctx: TenantContext,
  signatures: readonly Signature[],
): Promise<Signature[]> {
  const kept: Signature[] = [];
  for (const signature of signatures) {
    const picture = signature.Image === null ? null : readPicture(signature.Image);
    if (signature.Image !== null && !picture && !(await findImage(ctx, signature.Image)))
      throw reject(
        'Image is not the name of a signature of your tenant. Send the picture in Base64, or the name from the template.',
      );
    if (picture)
      await ctx.db
        .insertInto('certificate_image')
        .values({ tenant_id: ctx.tenantId, ...picture })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    kept.push({ ...signature, Image: picture?.name ?? signature.Image });
  }
  return kept;
}

/** The signatures with the pictures to draw, also those that are not stored. */
export function drawnSignatures(
  ctx: TenantContext,
  signatures: readonly Signature[],
): Promise<CertificateInput['Signatures']> {
  return Promise.all(
    signatures.map(async ({ Name, Role, Image }) => ({
      ...{ Name, Role },
      Image: Image === null ? null : (readPicture(Image) ?? (await findImage(ctx, Image))),
    })),
  );
}
