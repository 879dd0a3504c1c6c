/** The limits of a tenant's logo, which the console checks before it sends a file. */
export const maxLogoBytes = 128 * 1024;
/** Maximum width and height in pixels. */
export const maxLogoSide = 2_000;

export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type LogoType = (typeof logoTypes)[number];
