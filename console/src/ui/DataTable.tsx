import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export type Column<Row> = {
  /** The head of the column, and the label of its values on a card. */
  title: string;
  /** Replaces the title when the head is more than text. */
  head?: ReactNode;
  /** A column of controls. Only screen readers read its title. On a card it is next to the head. */
  controls?: boolean;
  cell: (row: Row) => ReactNode;
  /** The head of a card. Set when this is not the first column. */
  cardHead?: boolean;
  align?: 'right';
  /** On a card, the value is on its own line below the others. For long values. */
  ownLine?: boolean;
  /** Only used while the rows are displayed in columns. */
  width?: string;
  minWidth?: string;
};

type DataTableProps<Row> = {
  /** Name of the table for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Other rows are loading, and these are shown until then. */
  stale?: boolean;
  /** Below the rows. */
  footer?: ReactNode;
};

/** Keeps the contents of a cell on one line while the rows are displayed in columns. */
export function NoWrap({ children }: { children: ReactNode }) {
  return <span className={classes['noWrap']}>{children}</span>;
}

/**
 * A table whose rows become cards on narrow screens. One value is the head of a card; all other values are below it
 * with their labels. On medium screens the table scrolls within its own frame. Roles are explicit, because browsers
 * drop them when a table is not displayed as a table.
 */
export function DataTable<Row>({ label, columns, rows, rowKey, stale, footer }: DataTableProps<Row>) {
  const head =
    columns.find((column) => column.cardHead === true) ?? columns.find((column) => column.controls !== true);
  const partOf = (column: Column<Row>) =>
    column === head ? 'head' : column.controls === true ? 'controls' : 'value';
  return (
    <div className={classes['frame']} data-stale={stale}>
      <div className={classes['scroll']} role="region" aria-label={label} tabIndex={0}>
        <Table aria-label={label} role="table">
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map((column) => (
                <Table.Th
                  key={column.title}
                  scope="col"
                  role="columnheader"
                  data-part={partOf(column)}
                  data-head={column.head !== undefined}
                  data-align={column.align}
                  w={column.width}
                  miw={column.minWidth}
                >
                  {column.head ?? (
                    <span className={column.controls === true ? classes['visuallyHidden'] : undefined}>
                      {column.title}
                    </span>
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {rows.map((row) => (
              <Table.Tr key={rowKey(row)} role="row">
                {columns.map((column) => (
                  <Table.Td
                    key={column.title}
                    role="cell"
                    data-part={partOf(column)}
                    data-own-line={column.ownLine}
                    data-align={column.align}
                    data-title={column.title}
                  >
                    {column.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {footer}
    </div>
  );
}
