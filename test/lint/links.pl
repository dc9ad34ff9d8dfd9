# links.pl: links between the Markdown pages lead to files and headings that exist.
use strict;
use warnings;
use File::Basename;
use FindBin;
use Test::More;

my $project = "$FindBin::RealBin/../..";

# The lines of a page outside its code.
sub text_of
{
	my ($file) = @_;
	my ($code, @lines);

	open my $in, '<', $file or die "$file: $!";
	while (my $line = <$in>)
	{
		$code = !$code if $line =~ /^\s*```/;
		push @lines, $line unless $code;
	}
	return @lines;
}

# The anchors that GitHub makes of a page's headings.
sub anchors_of
{
	my ($file) = @_;
	my (%seen, %anchors);

	for my $line (text_of($file))
	{
		next unless $line =~ /^#+ +(.*?)\s*$/;
		my $anchor = lc($1 =~ s/\]\([^)]*\)//gr);

		$anchor =~ s/[^\w\- ]//g;
		$anchor =~ tr/ /-/;
		$anchors{ $seen{$anchor}++ ? "$anchor-" . ($seen{$anchor} - 1) : $anchor } = 1;
	}
	return \%anchors;
}

# What is wrong with a link on a page, if anything.
sub problem_of
{
	my ($page, $link) = @_;
	my ($path, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
	my $target = $path eq '' ? $page : dirname($page) . "/$path";

	return 'no such file' if !-e $target;
	return 'no such heading' if defined $anchor && !anchors_of($target)->{$anchor};
	return undef;
}

for my $page (map { glob "$project/$_" } qw(*.md docs/*.md docs/*/*.md */README.md packaging/*/*/README.md))
{
	my @dead;

	for my $line (text_of($page))
	{
		for my $link ($line =~ /\]\(([^)\s]+)\)/g)
		{
			my $problem = $link =~ /^\w+:/ ? undef : problem_of($page, $link);

			push @dead, "$link: $problem" if defined $problem;
		}
	}
	is(join("\n", @dead), '', 'links of ' . substr($page, length($project) + 1));
}
done_testing();
