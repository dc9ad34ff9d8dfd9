class Dynamo < Formula
  desc "DynamoDB's single-table design inside PostgreSQL"
  homepage "https://pgxn.org/dist/dynamo/"
  # Whoever publishes puts the checksum of the release's archive in place of the zeros.
  url "https://api.pgxn.org/dist/dynamo/1.0.0/dynamo-1.0.0.zip"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "PostgreSQL"

  depends_on "postgresql@17" => [:build, :test]
  depends_on "postgresql@18" => [:build, :test]
  depends_on "openssl@3"
  depends_on "zstd"

  def postgresqls
    deps.map(&:to_formula).select { |f| f.name.start_with?("postgresql@") }
  end

  def install
    postgresqls.each do |postgresql|
      pg_config = "PG_CONFIG=#{postgresql.opt_bin}/pg_config"
      system "make", "with_llvm=no", pg_config
      system "make", "install", "with_llvm=no", pg_config,
             "pkglibdir=#{lib}/#{postgresql.name}", "datadir=#{share}/#{postgresql.name}"
      system "make", "clean", "with_llvm=no", pg_config
    end
  end

  test do
    ENV["LC_ALL"] = "C"
    postgresqls.each do |postgresql|
      data = testpath/postgresql.name
      port = free_port
      system postgresql.opt_bin/"initdb", "-D", data, "-E", "UTF8", "--locale=C"
      (data/"postgresql.conf").write "port = #{port}\nshared_preload_libraries = 'dynamo'\n", mode: "a+"
      system postgresql.opt_bin/"pg_ctl", "start", "-w", "-D", data, "-l", testpath/"log"
      begin
        system postgresql.opt_bin/"psql", "-p", port.to_s, "-v", "ON_ERROR_STOP=1", "-d", "postgres",
               "-c", "CREATE EXTENSION dynamo",
               "-c", "SELECT dynamo.create_table('music', 'id')",
               "-c", "SELECT dynamo.request('ListTables', '{}')"
      ensure
        system postgresql.opt_bin/"pg_ctl", "stop", "-D", data
      end
    end
  end
end
