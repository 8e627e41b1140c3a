import { createHmac } from 'node:crypto';

/** The superuser of the embedded cluster. */
export const superuser = 'renderkit';

/** The data for a connection to a cluster as its superuser. */
export type ClusterConnection = {
  /** The directory of the unix socket, or on Windows 127.0.0.1. */
  host: string;
  port: number;
  password: string;
};

/** Returns the URL of a database; libpq and `pg` interpret an encoded directory as that of a socket. */
export function databaseUrl(cluster: ClusterConnection, database: string, user: string): string {
  const password = user === superuser ? cluster.password : rolePassword(cluster, user);
  return `postgresql://${user}:${encodeURIComponent(password)}@${encodeURIComponent(cluster.host)}:${cluster.port}/${database}`;
}

/** Derives a role's password from the superuser's, so that there is only one secret to keep and to back up. */
export function rolePassword(cluster: ClusterConnection, role: string): string {
  return createHmac('sha256', cluster.password).update(`role ${role}`).digest('hex');
}
