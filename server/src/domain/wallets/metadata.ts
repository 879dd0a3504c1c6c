import type { TenantContext } from '../../infra/context/context.ts';
import { readPublicKeys } from '../identity/tenant-keys.ts';
import { readTenant } from '../tenants/tenants.ts';

export const configurationId = 'certificate';

/** The type of the credential (SD-JWT VC §3.2.2.1). Its claims are those of `credential.ts`. */
export const credentialType = 'urn:lectern:certificate:1';

/** Accepted for the keys of wallets. */
export const proofAlgorithms = ['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'];

export const issuerOf = (ctx: TenantContext) =>
  `${ctx.config.baseUrl}/issuer/${encodeURIComponent(ctx.tenantId)}`;

/** What wallets call the claims. */
const claims = [
  ['name', { en: 'Name', de: 'Name', fr: 'Nom' }],
  ['course_title', { en: 'Course', de: 'Kurs', fr: 'Cours' }],
  ['issuer_name', { en: 'Issued by', de: 'Ausgestellt von', fr: 'Délivré par' }],
  ['completed_at', { en: 'Completed on', de: 'Abgeschlossen am', fr: 'Terminé le' }],
  ['result', { en: 'Result', de: 'Ergebnis', fr: 'Résultat' }],
  ['score', { en: 'Score (%)', de: 'Punkte (%)', fr: 'Score (%)' }],
  ['certificate_number', { en: 'Number', de: 'Nummer', fr: 'Numéro' }],
] as const;

const displayOf = (names: Record<string, string>) =>
  Object.entries(names).map(([locale, name]) => ({ name, locale }));

/** OpenID4VCI 1.0 §12.2.4. */
export async function issuerMetadata(ctx: TenantContext): Promise<object> {
  const issuer = issuerOf(ctx);
  const { Name } = await readTenant(ctx, { tenantId: ctx.tenantId });
  return {
    credential_issuer: issuer,
    credential_endpoint: `${issuer}/credential`,
    nonce_endpoint: `${issuer}/nonce`,
    display: [{ name: Name }],
    credential_configurations_supported: {
      [configurationId]: {
        format: 'dc+sd-jwt',
        vct: credentialType,
        cryptographic_binding_methods_supported: ['jwk'],
        credential_signing_alg_values_supported: ['ES256'],
        proof_types_supported: { jwt: { proof_signing_alg_values_supported: proofAlgorithms } },
        credential_metadata: {
          display: displayOf({ en: 'Certificate', de: 'Zertifikat', fr: 'Certificat' }),
          claims: claims.map(([name, names]) => ({ path: [name], display: displayOf(names) })),
        },
      },
    },
  };
}

/** RFC 8414. The issuer of credentials is its own authorization server. */
export function serverMetadata(ctx: TenantContext): object {
  const issuer = issuerOf(ctx);
  return {
    issuer,
    token_endpoint: `${issuer}/token`,
    response_types_supported: [],
    grant_types_supported: ['urn:ietf:params:oauth:grant-type:pre-authorized_code'],
    token_endpoint_auth_methods_supported: ['none'],
    'pre-authorized_grant_anonymous_access_supported': true,
  };
}

/** SD-JWT VC §5: where verifiers find the keys. */
export async function keyMetadata(ctx: TenantContext): Promise<object> {
  const keys = (await readPublicKeys(ctx)).map(({ publicJwk }) => publicJwk);
  return { issuer: issuerOf(ctx), jwks: { keys } };
}
