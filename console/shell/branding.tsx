import { useDocumentTitle } from '@mantine/hooks';
import { createContext, type ReactNode, useCallback, useContext, useLayoutEffect, useState } from 'react';
import type { components } from '../../client/src/generated.ts';

export type PageBranding = components['schemas']['PageBranding'];

const storageKey = 'lectern-branding';
/** Their links may belong to a tenant other than the one used last. */
export const linkPages = ['/console/invitation', '/console/reset'];

type Remembered = { TenantID: string; branding: PageBranding | null };

/** The tenant that last signed in on this device, so that pages have its colours from the start. */
export function rememberedBranding(): Remembered | null {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? 'null');
  } catch {
    return null;
  }
}

/** The branding with which the page begins. */
export function initialBranding(): PageBranding | null {
  if (linkPages.includes(location.pathname.replace(/\/$/, ''))) return null;
  const last = rememberedBranding();
  const named = new URLSearchParams(location.search).get('tenant');
  return named === null || named === last?.TenantID ? (last?.branding ?? null) : null;
}

const schemes = { light: 'Light', dark: 'Dark' } as const;
const names = ['Fill', 'OnFill', 'Soft', 'Text'] as const;

/** Sets the variables that `theme.ts` uses. The page's policy permits this, but no style attributes. */
function applyColours(branding: PageBranding | null): void {
  const { style } = document.documentElement;
  for (const scheme of ['light', 'dark'] as const)
    for (const name of names) {
      const value = branding?.[schemes[scheme]]?.[name];
      const variable = `--brand-${scheme}-${name}`;
      if (value) style.setProperty(variable, value);
      else style.removeProperty(variable);
    }
}

type Shown = {
  /** Null if the page shows no tenant, or one without branding. */
  branding: PageBranding | null;
  show: (branding: PageBranding | null | undefined) => void;
  /** Shows the branding of a tenant whose user is signed in, and remembers it for the next visit. */
  remember: (tenantId: string, branding: PageBranding | undefined) => void;
};
const BrandingContext = createContext<Shown>({ branding: null, show: () => {}, remember: () => {} });
export const useBranding = () => useContext(BrandingContext);

export function BrandingProvider({ children }: { children: ReactNode }) {
  const [branding, setBranding] = useState(initialBranding);
  useLayoutEffect(() => applyColours(branding), [branding]);
  const show = useCallback<Shown['show']>((next) => setBranding(next?.Name ? next : null), []);
  const remember = useCallback<Shown['remember']>(
    (TenantID, next) => {
      const branding = next?.Name ? next : null;
      localStorage.setItem(storageKey, JSON.stringify({ TenantID, branding }));
      show(branding);
    },
    [show],
  );
  return <BrandingContext value={{ branding, show, remember }}>{children}</BrandingContext>;
}

/** The title of the browser tab, with the tenant's name. An empty title leaves it as it is. */
export function usePageTitle(title: string): void {
  const { branding } = useBranding();
  useDocumentTitle(title && `${title} · ${branding?.Name ?? 'Lectern'}`);
}
