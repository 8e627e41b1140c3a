import {
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

const teal: MantineColorsTuple = [
  '#ecf7f6',
  '#d6eeec',
  '#aedfdb',
  '#86d2cb',
  '#5cc8c1',
  '#37aaa5',
  '#1d8b88',
  '#0b6e6e',
  '#0a5a5b',
  '#074546',
];

/** Warm greys, for the light scheme. */
const gray: MantineColorsTuple = [
  '#f8f8f6',
  '#f1f1ee',
  '#e7e7e3',
  '#dbdad6',
  '#c3c2bd',
  '#94938d',
  '#686762',
  '#55544f',
  '#3d3c39',
  '#1f1e1c',
];

/** Greys for the dark scheme, from text to background. */
const dark: MantineColorsTuple = [
  '#e6e7e9',
  '#c3c7cc',
  '#9ba1a9',
  '#767d86',
  '#31373d',
  '#272c31',
  '#1b1f23',
  '#14171a',
  '#101316',
  '#0b0d0f',
];

/** Mantine computes the color of text on a filled background for the light scheme only. */
const variantColors: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const primary = input.color === undefined || input.color === input.theme.primaryColor;
  if (input.variant !== 'filled' || !primary) return colors;
  return { ...colors, color: 'var(--mantine-primary-color-contrast)' };
};

/** The typeface is shipped with the console. System fonts supply letters that it lacks. */
const typeface = '"Figtree Variable", "Figtree fallback", system-ui, "Segoe UI", Roboto, sans-serif';

export const theme = createTheme({
  colors: { teal, gray, dark },
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  variantColorResolver: variantColors,
  luminanceThreshold: 0.36,
  black: '#1c2024',
  fontFamily: typeface,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  headings: { fontFamily: typeface, fontWeight: '620' },
  fontSizes: { xs: '0.78rem', sm: '0.86rem', md: '0.94rem', lg: '1.06rem', xl: '1.25rem' },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs' }, styles: { label: { fontWeight: 560 } } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    NumberInput: { defaultProps: { hideControls: true } },
    TextInput: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        transitionProps: { transition: 'fade', duration: 120, exitDuration: 0 },
      },
      styles: { title: { fontWeight: 620 } },
    },
    // The placeholder is not a menu item, but screen readers would count it.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } },
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: 12, fz: 'sm' } },
    // Long words break instead of overflowing.
    Alert: { styles: { body: { minWidth: 0 } } },
    Anchor: { defaultProps: { underline: 'hover' } },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
});

/** Colors whose text has too little contrast on their own tint in Mantine's shades (WCAG 2.2, 1.4.3). */
const tinted = ['red', 'orange', 'yellow', 'green', 'blue', 'gray', 'teal'] as const;

export const cssVariables: CSSVariablesResolver = ({ colors }) => {
  const shade = (name: string, index: number) => colors[name]?.[index] ?? '';
  const onTint = (index: number, share: number) =>
    Object.fromEntries(
      tinted.flatMap((name) => [
        [`--mantine-color-${name}-light-color`, shade(name, index)],
        [`--mantine-color-${name}-light`, `color-mix(in srgb, ${shade(name, 6)} ${share}%, transparent)`],
      ]),
    );
  return {
    variables: {},
    light: {
      ...onTint(9, 10),
      '--mantine-color-body': '#fdfdfc',
      '--mantine-color-default-border': '#dedfde',
      '--mantine-color-dimmed': shade('gray', 6),
      '--mantine-color-placeholder': shade('gray', 6),
      '--mantine-color-error': '#b4232a',
      '--mantine-color-anchor': '#0b6e6e',
      '--rk-side': '#f5f6f4',
      '--rk-card': '#ffffff',
      '--rk-hover': '#edeeec',
      '--rk-tint': '#eef4f3',
      '--rk-good': '#16794b',
      '--rk-bad': '#c2323a',
      '--rk-wait': '#9a6400',
      '--rk-run': '#1f6fb5',
      '--rk-idle': '#686762',
      '--rk-c1': '#0b6e6e',
      '--rk-c2': '#c9772b',
      '--rk-c3': '#5b62c9',
      '--rk-c4': '#a14b8c',
      '--rk-c5': '#5d8a2f',
    },
    dark: {
      ...onTint(3, 15),
      '--mantine-color-body': '#14171a',
      '--mantine-color-default': '#1b1f23',
      '--mantine-color-default-border': '#2c3137',
      '--mantine-color-dimmed': shade('dark', 2),
      '--mantine-color-placeholder': shade('dark', 2),
      '--mantine-color-error': '#ff8a8a',
      '--mantine-color-anchor': '#5cc8c1',
      '--rk-side': '#101316',
      '--rk-card': '#191d21',
      '--rk-hover': '#22272c',
      '--rk-tint': '#1b2426',
      '--rk-good': '#58c98f',
      '--rk-bad': '#ff8080',
      '--rk-wait': '#e5b454',
      '--rk-run': '#74b5f0',
      '--rk-idle': '#9ba1a9',
      '--rk-c1': '#5cc8c1',
      '--rk-c2': '#e5a25a',
      '--rk-c3': '#9aa2f5',
      '--rk-c4': '#d98bc6',
      '--rk-c5': '#9cc56b',
    },
  };
};
