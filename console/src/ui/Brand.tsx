import classes from './brand.module.css';

export function Brand({ size = 22 }: { size?: number }) {
  return (
    <span className={classes['brand']}>
      <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="8" fill="#0b6e6e" />
        <path
          d="M10 23V9h7.2a4.4 4.4 0 0 1 1 8.7L22.4 23"
          fill="none"
          stroke="#fff"
          strokeWidth="3"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        <circle cx="16.2" cy="17.7" r="1.9" fill="#5cc8c1" />
      </svg>
      Renderkit
    </span>
  );
}
