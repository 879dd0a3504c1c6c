import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core';
import { focusFieldOrTitle } from './parts/focus-first.ts';

/** The player's accent colour, from lightest to darkest. */
const iris: MantineColorsTuple = [
  '#eef0ff',
  '#dfe3ff',
  '#bfc6ff',
  '#9ea8ff',
  '#7f8bf7',
  '#5563e6',
  '#3d4ed8',
  '#3442bb',
  '#2b379b',
  '#212a78',
];

/** Depends on the tenant's colour. */
const onPrimary = 'var(--mantine-primary-color-contrast)';
const legible = 'var(--mantine-color-iris-text)';

export const theme = createTheme({
  colors: { iris },
  primaryColor: 'iris',
  primaryShade: { light: 6, dark: 5 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  variantColorResolver: (input) => {
    const resolved = defaultVariantColorsResolver(input);
    return input.variant === 'filled' && input.color === 'iris'
      ? { ...resolved, color: onPrimary }
      : resolved;
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace',
  headings: { fontWeight: '650' },
  components: {
    Anchor: { defaultProps: { underline: 'hover' } },
    Modal: { defaultProps: { centered: true, overlayProps: { blur: 2 }, padding: 'lg' } },
    // A <header> would count as a second banner on the page, because the dialog's role does not override it.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    ModalBody: { defaultProps: { ref: focusFieldOrTitle } },
    DrawerBody: { defaultProps: { ref: focusFieldOrTitle } },
    // Its placeholder takes the focus, which a menu's children that are no items must not.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // The list itself scrolls (`console.css`): screen readers know it, and not the area around it.
    ...Object.fromEntries(
      ['Select', 'MultiSelect', 'Autocomplete', 'TagsInput'].map((name) => [
        name,
        { defaultProps: { withScrollArea: false } },
      ]),
    ),
    Tooltip: { defaultProps: { openDelay: 300 } },
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm' } },
    Checkbox: { defaultProps: { iconColor: onPrimary } },
    Progress: { defaultProps: { color: legible } },
    Loader: { defaultProps: { color: legible } },
    Tabs: { defaultProps: { color: legible } },
    Radio: { defaultProps: { iconColor: onPrimary } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 600 } },
  },
});

type Scheme = 'light' | 'dark';

/** Mantine's variables for the primary colour: the tenant's shades (`shell/branding.tsx`), or ours if it has none. */
function primary(
  scheme: Scheme,
  usual: { filled: number; hover: number; text: string; tints: [string, string] },
) {
  const shade = (name: string, otherwise: string) => `var(--brand-${scheme}-${name}, ${otherwise})`;
  const own = (index: number) => `var(--mantine-color-iris-${index})`;
  return {
    '--mantine-primary-color-contrast': shade('OnFill', '#ffffff'),
    '--mantine-color-iris-filled': shade('Fill', own(usual.filled)),
    '--mantine-color-iris-filled-hover': shade('Fill', own(usual.hover)),
    '--mantine-color-iris-light': shade('Soft', usual.tints[0]),
    '--mantine-color-iris-light-hover': shade('Soft', usual.tints[1]),
    '--mantine-color-iris-light-color': shade('Text', own(scheme === 'light' ? 9 : 0)),
    '--mantine-color-iris-outline': shade('Text', own(scheme === 'light' ? 6 : 1)),
    '--mantine-color-iris-text': shade('Text', own(usual.filled)),
    '--mantine-color-anchor': shade('Text', usual.text),
  };
}

/** Mantine's muted colours have too little contrast (WCAG 2.2, 1.4.3). */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#565e6c',
    '--mantine-color-placeholder': '#69707d',
    '--mantine-color-error': '#c02626',
    '--mantine-color-body': '#ffffff',
    ...primary('light', {
      filled: 6,
      hover: 7,
      text: '#3442bb',
      tints: ['var(--mantine-color-iris-1)', 'var(--mantine-color-iris-2)'],
    }),
    '--mantine-color-green-light-color': '#1b5e2f',
    '--mantine-color-orange-light-color': '#8f3a0b',
    '--mantine-color-yellow-light-color': '#7a4300',
    '--mantine-color-red-light-color': '#a81e1e',
    '--mantine-color-blue-light-color': '#124f93',
    '--mantine-color-gray-light-color': '#41474f',
    '--lectern-sunken': '#f6f7f9',
    '--lectern-line': '#e4e6eb',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b0bd',
    '--mantine-color-placeholder': '#9aa1ae',
    '--mantine-color-error': '#ff8b83',
    '--mantine-color-body': '#141518',
    ...primary('dark', { filled: 5, hover: 6, text: '#9ea8ff', tints: ['#10153c', '#171d54'] }),
    '--lectern-sunken': '#0e0f11',
    '--lectern-line': '#2a2d34',
  },
});
