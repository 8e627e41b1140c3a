/** Paths of the icons, each in a square of 24 units. */
const strokes = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-4H4zM14 8h6V4h-6z',
  playground:
    'm5 19 9-9M13.5 5.5l1-2.5 1 2.5 2.5 1-2.5 1-1 2.5-1-2.5-2.5-1zM19 13l.7 1.8 1.8.7-1.8.7L19 18l-.7-1.8-1.8-.7 1.8-.7z',
  generations: 'M4 6h16M4 12h16M4 18h10',
  library: 'M4 5h16v14H4zM4 16l5-5 4 4 3-2.5 4 3.5M15.5 9.5h.01',
  projects: 'M3 6h6l2 3h10v10H3z',
  storage:
    'M4 6c0-1.700 3.600-3 8-3s8 1.300 8 3-3.600 3-8 3-8-1.300-8-3ZM4 6v12c0 1.700 3.600 3 8 3s8-1.300 8-3V6M4 12c0 1.700 3.600 3 8 3s8-1.300 8-3',
  keys: 'M8 12a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM10.8 13.2 20 4M15.500 8.500l3.500 3.500',
  connect: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  webhooks:
    'M9 8.5a3.5 3.5 0 1 1 5.5 2.9l2.6 4.6M12 8.5 9 14M7 13a3.5 3.5 0 1 0 3.5 3.8H17M17 13.2a3.5 3.5 0 1 1-2.6 6',
  deliveries: 'm21 3-9.5 9.5M21 3l-6 18-3.5-8.5L3 9z',
  connection:
    'M9 15l6-6M10.5 6.5 12 5a5 5 0 0 1 7 7l-1.500 1.500M13.500 17.500 12 19a5 5 0 0 1-7-7l1.500-1.500',
  sessions: 'M3 5h18v11H3zM8 20h8M12 16v4',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h6',
  backends: 'M4 4h16v6H4zM4 14h16v6H4zM7.500 7h.01M7.500 17h.01M11 7h5M11 17h5',
  models: 'm12 3 8 4.500v9L12 21l-8-4.500v-9zM4 7.500l8 4.500 8-4.500M12 12v9',
  plans: 'M3 6h18v12H3zM3 10h18M7 14.500h4',
  styles:
    'M12 3a9 9 0 1 0 0 18c1.500 0 2-1 1.500-2.200-.6-1.500.3-2.800 2-2.800H18a3 3 0 0 0 3-3c0-5.500-4-10-9-10ZM7.500 11.500h.01M10.500 7.500h.01M15 7.500h.01',
  docs: 'M12 6c-2-1.500-5-2-8-2v14c3 0 6 .5 8 2 2-1.500 5-2 8-2V4c-3 0-6 .5-8 2ZM12 6v14',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'm5 13 4 4L19 7',
  plus: 'M12 5v14M5 12h14',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M2 12h2M20 12h2M4.900 19.100l1.400-1.400M17.700 6.300l1.400-1.400',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500Z',
  auto: 'M3 5h18v11H3zM8 20h8',
  signOut: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4.500 20a7.500 7.500 0 0 1 15 0',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  right: 'm9 6 6 6-6 6',
  left: 'm15 6-6 6 6 6',
  down: 'm6 9 6 6 6-6',
  warning: 'M12 4 2.500 20h19zM12 10v4M12 17h.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 11v5M12 8h.01',
  refresh: 'M20 11a8 8 0 0 0-14.500-3.500L4 9M4 4v5h5M4 13a8 8 0 0 0 14.500 3.500L20 15M20 20v-5h-5',
  eye: 'M2 12s3.500-7 10-7 10 7 10 7-3.500 7-10 7-10-7-10-7ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 4v16l13-8z',
  send: 'm21 3-9.5 9.5M21 3l-6 18-3.5-8.5L3 9z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16 16l5 5',
  heart: 'M12 20S3.500 15 3.500 9A4.500 4.500 0 0 1 12 7a4.500 4.500 0 0 1 8.500 2c0 6-8.500 11-8.500 11Z',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  upload: 'M12 16V5M7 9l5-5 5 5M4 20h16',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-2.5 4 3.5M15.5 9.5h.01',
  video: 'M3 6h12v12H3zM15 10l6-3v10l-6-3z',
  brush: 'M20 4 9.500 14.500M6 14a3 3 0 0 1 4 4c-1 2-4 3-7 2 2-1 1-4 3-6Z',
  eraser: 'M8.500 20 4 15.500l10-10 6 6-8.500 8.500zM9 10.500l6 6M12 20h8',
  undo: 'M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3',
  history: 'M4 12a8 8 0 1 0 2.500-5.800L4 8.500M4 4v4.500h4.500M12 8v4l3 2',
  dice: 'M5 4h14v16H5zM9 8h.01M15 8h.01M12 12h.01M9 16h.01M15 16h.01',
  locked: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3',
  open: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 6.800-1.200',
  compare: 'M12 3v18M4 6h5v12H4zM15 6h5v12h-5z',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  reference: 'M4 4h11v11H4zM9 20h11V9M18 3v4M16 5h4',
  keep: 'M7 4h10v16l-5-4-5 4z',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
} as const;

export type IconName = keyof typeof strokes;

/** An icon next to a text with the same meaning. Screen readers skip it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={strokes[name]} />
    </svg>
  );
}
