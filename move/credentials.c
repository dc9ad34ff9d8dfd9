/*
 * credentials.c
 *	  Keys, regions and addresses where AWS tools look for them.
 *
 * Credentials come, in this order, from the environment (unless a profile was named on the
 * command line), the profile's section in the credentials file and in the configuration
 * file, the command that the profile names (credential_process), and the endpoint of a
 * container.  Secrets go to libcurl only, never into a message.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "move.h"

/* An environment variable that is set and not empty. */
static const char *
Env(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

static const char *
EnvOf(const Aws *aws, const char *name)
{
	return aws->environment ? Env(name) : NULL;
}

static const char *
ProfileOf(const Aws *aws)
{
	const char *name = aws->profile;

	if (name == NULL)
		name = EnvOf(aws, "AWS_PROFILE");
	if (name == NULL)
		name = EnvOf(aws, "AWS_DEFAULT_PROFILE");
	return name != NULL ? name : "default";
}

static char *
Trim(char *s)
{
	size_t		len;

	while (isspace((unsigned char) *s))
		s++;
	len = strlen(s);
	while (len > 0 && isspace((unsigned char) s[len - 1]))
		s[--len] = '\0';
	return s;
}

/* Whether a line [...] begins the section of the profile. */
static bool
IsSection(char *line, const char *profile)
{
	char	   *end = strchr(line, ']');
	char	   *name = line + 1;

	if (end == NULL)
		return false;
	*end = '\0';
	name = Trim(name);
	if (strncmp(name, "profile", 7) == 0 && isspace((unsigned char) name[7]))
		name = Trim(name + 8);
	return strcmp(name, profile) == 0;
}

/* A setting of a profile's section; NULL if there is none. */
static char *
ReadProfile(const char *path, const char *profile, const char *name)
{
	FILE	   *file = fopen(path, "r");
	char	   *line = NULL,
			   *found = NULL;
	size_t		size = 0;
	bool		inside = false;

	if (file == NULL)
		return NULL;
	while (getline(&line, &size, file) > 0)
	{
		char	   *equals;

		if (line[0] == '[')
			inside = IsSection(line, profile);
		else if (inside && !isspace((unsigned char) line[0]) && line[0] != '#' && line[0] != ';' &&
				 (equals = strchr(line, '=')) != NULL)
		{
			*equals = '\0';
			if (strcmp(Trim(line), name) == 0)
			{
				free(found);
				found = MoveCopy(Trim(equals + 1));
			}
		}
	}
	free(line);
	fclose(file);
	return found;
}

static char *
AwsFile(const char *variable, const char *name)
{
	const char *home = Env("HOME");

	if (Env(variable) != NULL)
		return MoveCopy(Env(variable));
	return MoveFormat("%s/.aws/%s", home != NULL ? home : "", name);
}

static char *
ReadFileOf(const Aws *aws, const char *variable, const char *file, const char *name)
{
	char	   *path = AwsFile(variable, file);
	char	   *value = ReadProfile(path, ProfileOf(aws), name);

	free(path);
	return value;
}

/* A setting in the profile's section of the configuration file, or of the credentials file. */
char *
AwsSetting(const Aws *aws, const char *name)
{
	char	   *value = ReadFileOf(aws, "AWS_CONFIG_FILE", "config", name);

	return value != NULL ? value : ReadFileOf(aws, "AWS_SHARED_CREDENTIALS_FILE", "credentials", name);
}

char *
AwsRegion(const Aws *aws)
{
	const char *region = EnvOf(aws, "AWS_REGION");

	if (region == NULL)
		region = EnvOf(aws, "AWS_DEFAULT_REGION");
	return region != NULL ? MoveCopy(region) : AwsSetting(aws, "region");
}

/* The address that is set for DynamoDB, or for its streams; NULL: that of AWS. */
char *
AwsEndpoint(const Aws *aws, bool streams)
{
	const char *ignore = EnvOf(aws, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
	const char *url;

	if (ignore != NULL && strcasecmp(ignore, "true") == 0)
		return NULL;
	url = EnvOf(aws, streams ? "AWS_ENDPOINT_URL_DYNAMODB_STREAMS" : "AWS_ENDPOINT_URL_DYNAMODB");
	if (url == NULL)
		url = EnvOf(aws, "AWS_ENDPOINT_URL");
	return url != NULL ? MoveCopy(url) : AwsSetting(aws, "endpoint_url");
}

/* "2026-01-31T12:00:00Z" as seconds since 1970; 0 if it is no such time. */
static double
ReadTime(const char *text)
{
	struct tm	tm = {0};

	if (text == NULL || strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) == NULL)
		return 0;
	return (double) timegm(&tm);
}

#define LARGEST_CREDENTIALS	65536

/* From the answer of a container's endpoint or a command; the names differ. */
static bool
TakeAnswer(const char *text, size_t len, const char *token_name, Credentials *found)
{
	json_t	   *answer = json_loadb(text, len, 0, NULL);
	const char *id = JsonString(answer, "AccessKeyId"),
			   *secret = JsonString(answer, "SecretAccessKey"),
			   *token = JsonString(answer, token_name);
	bool		ok = id != NULL && secret != NULL;

	if (ok)
	{
		found->key_id = MoveCopy(id);
		found->secret = MoveCopy(secret);
		found->token = token != NULL ? MoveCopy(token) : NULL;
		found->expires = ReadTime(JsonString(answer, "Expiration"));
		found->renewable = true;
	}
	json_decref(answer);
	return ok;
}

static size_t
TakeBytes(char *data, size_t size, size_t count, void *text)
{
	if (((Text *) text)->len + size * count > LARGEST_CREDENTIALS)
		return 0;
	TextAdd(text, data, size * count);
	return size * count;
}

/* libcurl keeps all headers. */
static size_t
CountBytes(char *data, size_t size, size_t count, void *bytes)
{
	(void) data;
	*(size_t *) bytes += size * count;
	return *(size_t *) bytes > LARGEST_CREDENTIALS ? 0 : size * count;
}

/* As in AWS' tools, plain HTTP is for addresses of this machine and of container agents. */
static bool
IsContainerUrl(const char *url)
{
	static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};

	/* http://localhost:x@other.example/ is no address of this machine */
	if (strchr(url, '@') != NULL)
		return false;
	if (strncmp(url, "https://", 8) == 0)
		return true;
	if (strncmp(url, "http://", 7) != 0)
		return false;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
	{
		size_t		len = strlen(hosts[i]);

		if (strncmp(url + 7, hosts[i], len) == 0 && (url[7 + len] == ':' || url[7 + len] == '/' || url[7 + len] == '\0'))
			return true;
	}
	return false;
}

/* The value of the header Authorization for the container's endpoint, or NULL. */
static char *
ContainerToken(void)
{
	const char *path = Env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	char	   *line = NULL;
	size_t		size = 0;
	FILE	   *file;

	if (path == NULL)
		return Env("AWS_CONTAINER_AUTHORIZATION_TOKEN") ? MoveCopy(Env("AWS_CONTAINER_AUTHORIZATION_TOKEN")) : NULL;
	file = fopen(path, "r");
	if (file == NULL)
		MoveFail("cannot read the file that AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names: %s", strerror(errno));
	if (getline(&line, &size, file) > 0)
		line[strcspn(line, "\r\n")] = '\0';
	fclose(file);
	return line;
}

static bool
AskContainer(Credentials *found)
{
	const char *relative = Env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"),
			   *full = Env("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	char	   *url,
			   *token = ContainerToken();
	struct curl_slist *headers = NULL;
	Text		answer = {0};
	bool		ok = false;
	CURL	   *curl;

	if (relative == NULL && full == NULL)
	{
		free(token);
		return false;
	}
	url = relative != NULL ? MoveFormat("http://169.254.170.2%s", relative) : MoveCopy(full);
	if (!IsContainerUrl(url))
		MoveFail("AWS_CONTAINER_CREDENTIALS_FULL_URI must use https, or the address of this machine");
	curl = curl_easy_init();
	if (token != NULL)
	{
		char	   *header = MoveFormat("Authorization: %s", token);

		headers = curl_slist_append(headers, header);
		free(header);
	}
	for (int attempt = 0; attempt < 4 && !ok; attempt++)
	{
		long		status = 0;
		size_t		bytes = 0;

		TextClear(&answer);
		if (attempt > 0)
			MoveSleep(1);
		curl_easy_setopt(curl, CURLOPT_URL, url);
		curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
		curl_easy_setopt(curl, CURLOPT_TIMEOUT, 5L);
		curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
		curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
		curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, TakeBytes);
		curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
		curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, CountBytes);
		curl_easy_setopt(curl, CURLOPT_HEADERDATA, &bytes);
		if (curl_easy_perform(curl) == CURLE_OK &&
			curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status == 200)
			ok = TakeAnswer(answer.data, answer.len, "Token", found);
	}
	if (!ok)
		MoveFail("the container's endpoint gives no credentials");
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	TextFree(&answer);
	free(token);
	free(url);
	return ok;
}

/* The command comes from the user's own configuration file, as for AWS' tools. */
static bool
RunCommand(const char *command, Credentials *found)
{
	FILE	   *pipe = popen(command, "r");
	Text		answer = {0};
	char		buffer[4096];
	size_t		n;
	bool		ok;

	if (pipe == NULL)
		MoveFail("cannot run credential_process: %s", strerror(errno));
	while ((n = fread(buffer, 1, sizeof(buffer), pipe)) > 0)
	{
		if (answer.len + n > LARGEST_CREDENTIALS)
			MoveFail("the profile's credential_process writes more than %d bytes", LARGEST_CREDENTIALS);
		TextAdd(&answer, buffer, n);
	}
	ok = pclose(pipe) == 0 && answer.len > 0 && TakeAnswer(answer.data, answer.len, "SessionToken", found);
	if (!ok)
		MoveFail("the profile's credential_process gives no credentials");
	TextFree(&answer);
	return ok;
}

static bool
TakeFile(const Aws *aws, const char *variable, const char *file, Credentials *found)
{
	char	   *id = ReadFileOf(aws, variable, file, "aws_access_key_id"),
			   *secret = ReadFileOf(aws, variable, file, "aws_secret_access_key");

	if (id == NULL || secret == NULL)
	{
		free(id);
		free(secret);
		return false;
	}
	found->key_id = id;
	found->secret = secret;
	found->token = ReadFileOf(aws, variable, file, "aws_session_token");
	/* Whoever keeps the file up to date may write new ones into it. */
	found->renewable = found->token != NULL;
	return true;
}

void
CredentialsFind(const Aws *aws, Credentials *found)
{
	char	   *command;

	free(found->key_id);
	free(found->secret);
	free(found->token);
	memset(found, 0, sizeof(*found));
	if (!aws->explicit_profile && Env("AWS_ACCESS_KEY_ID") != NULL && Env("AWS_SECRET_ACCESS_KEY") != NULL)
	{
		found->key_id = MoveCopy(Env("AWS_ACCESS_KEY_ID"));
		found->secret = MoveCopy(Env("AWS_SECRET_ACCESS_KEY"));
		if (Env("AWS_SESSION_TOKEN") != NULL)
			found->token = MoveCopy(Env("AWS_SESSION_TOKEN"));
		return;
	}
	if (TakeFile(aws, "AWS_SHARED_CREDENTIALS_FILE", "credentials", found) || TakeFile(aws, "AWS_CONFIG_FILE", "config", found))
		return;
	command = AwsSetting(aws, "credential_process");
	if (command != NULL)
	{
		RunCommand(command, found);
		free(command);
		return;
	}
	if (AskContainer(found))
		return;
	MoveFail("no credentials found for profile \"%s\"; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile of ~/.aws/credentials",
			 ProfileOf(aws));
}
