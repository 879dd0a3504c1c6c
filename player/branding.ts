import type { Session } from './contract.ts';
import { elements } from './elements.ts';

type Branding = Session['Branding'];
type Shades = NonNullable<Branding['Light']>;

/** The variables of player.css. */
const variables: Record<string, keyof Shades> = {
  '--accent': 'Fill',
  '--accent-text': 'OnFill',
  '--accent-soft': 'Soft',
  '--accent-ink': 'Text',
};

function showName(name: string): void {
  elements.brandName.textContent = name;
  elements.brandLogo.hidden = true;
  elements.brandName.hidden = false;
}

/** Shows the tenant's logo, or its name if there is no logo, and uses its colour. */
export function showBranding(branding: Branding): void {
  if (!branding.Name) return;
  const { Name, LogoPath, Light, Dark } = branding;
  const { style, dataset } = document.documentElement;
  if (Light && Dark) {
    dataset.branded = '';
    for (const [variable, shade] of Object.entries(variables))
      style.setProperty(variable, `light-dark(${Light[shade]}, ${Dark[shade]})`);
  }
  elements.brand.hidden = false;
  if (LogoPath === null) {
    showName(Name);
    return;
  }
  const { brandLogo } = elements;
  brandLogo.addEventListener('error', () => showName(Name), { once: true });
  brandLogo.alt = Name;
  brandLogo.src = LogoPath;
  brandLogo.hidden = false;
}
