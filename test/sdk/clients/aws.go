// aws.go: generated clients over the AWS SDK for Go: aws ENDPOINT KEY SECRET
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	books "clients/books"
	customers "clients/customers"
	desk "clients/desk"
	ecommerce "clients/ecommerce"
	hr "clients/hr_oe"
	nasty "clients/nasty"
	organizations "clients/organizations"
	schools "clients/schools"
	shop "clients/shop"
	stores "clients/stores"
	tickets "clients/tickets"
)

var ctx = context.Background()

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func got[T any](value T, err error) T {
	must(err)
	return value
}

func equal(found, wanted any) {
	if !reflect.DeepEqual(found, wanted) {
		panic(fmt.Sprintf("found %v, wanted %v", found, wanted))
	}
}

func testDesk(db *dynamodb.Client) {
	client := got(desk.Connect(ctx, db, desk.TableName))
	key := desk.TicketKey{Team: "go", Number: 1}
	ticket := &desk.Ticket{
		Team: "go", Number: 1, Title: "Hello", Urgent: desk.Pointer(true), Cost: desk.Pointer(desk.Decimal("12345678901234567890123456789012345678")),
		Serial: desk.Pointer(int64(1) << 60), Weight: desk.Pointer(0.1), Labels: []string{"a", "b"}, Sizes: []desk.Decimal{"1.5"}, Picture: []byte{0, 255},
		Details: &types.AttributeValueMemberM{Value: desk.Item{"set": &types.AttributeValueMemberSS{Value: []string{"x", "y"}}}},
		Other:   desk.Item{"undeclared": &types.AttributeValueMemberNS{Value: []string{"1"}}},
	}

	must(client.PutTeam(ctx, &desk.Team{Team: "go", Title: desk.Pointer("Go")}))
	must(client.PutTicket(ctx, ticket, desk.IfAbsent))
	read := got(client.GetTicket(ctx, key))
	equal(*read.Loud, "HELLO")
	equal(*read.State, "NEW")
	equal(*read.Cost, *ticket.Cost)
	equal(*read.Serial, *ticket.Serial)
	equal(read.Picture, ticket.Picture)
	equal(read.Labels, ticket.Labels)
	equal(read.Sizes, ticket.Sizes)
	equal(len(read.Other), 1)
	var failed *types.ConditionalCheckFailedException
	equal(errors.As(client.PutTicket(ctx, ticket, desk.IfAbsent), &failed), true)
	must(client.PutTicket(ctx, read))
	updated := got(client.UpdateTicket(ctx, key, desk.Update[desk.TicketChanges]{
		Set: desk.TicketChanges{Title: desk.Pointer("Bye")}, Remove: []string{"details"}, Add: map[string]desk.Decimal{"cost": "-1"},
	}, desk.Condition{Expression: "attribute_exists(#t)", Names: map[string]string{"#t": "title"}}))
	equal(*updated.Loud, "BYE")
	equal(*updated.Cost, desk.Decimal("12345678901234567890123456789012345677"))
	for number := 2; number <= 7; number++ {
		must(client.PutTicket(ctx, &desk.Ticket{Team: "go", Number: number, Title: "x", State: desk.Pointer("CLOSED"), Cost: desk.Pointer(desk.Decimal(fmt.Sprint(number)))}))
	}
	var numbers []int
	must(desk.EveryItem(func(page desk.PageOptions) (*desk.Page[*desk.Ticket], error) {
		page.Limit = 3
		return client.TicketsOf(ctx, desk.TicketsOfParameters{Team: "go", First: desk.Pointer(2)}, page)
	}, func(t *desk.Ticket) error {
		numbers = append(numbers, t.Number)
		return nil
	}))
	equal(numbers, []int{2, 3, 4, 5, 6, 7})
	teams := 0
	for _, item := range got(client.WholeTeam(ctx, desk.WholeTeamParameters{Team: "go"}, desk.PageOptions{})).Items {
		if team, ok := item.(*desk.Team); ok {
			equal(*team.Tickets, 7)
			teams++
		}
	}
	equal(teams, 1)
	equal(len(got(client.Titles(ctx, desk.TitlesParameters{Team: "go"}, desk.PageOptions{})).Items), 7)
	equal(got(client.DeleteTicket(ctx, desk.TicketKey{Team: "go", Number: 7})).Title, "x")
	equal(got(client.DeleteTicket(ctx, desk.TicketKey{Team: "go", Number: 7})), (*desk.Ticket)(nil))
}

func testNasty(db *dynamodb.Client) {
	client := got(nasty.Connect(ctx, db, nasty.TableName))

	must(client.PutClass2(ctx, &nasty.Class2{Class: "go", DotsIn: "d", Self: nasty.Pointer("s"), Async: nasty.Pointer(1), Proto: nasty.Pointer("p")}))
	equal(*got(client.GetClass2(ctx, nasty.ClassKey2{Class: "go", DotsIn: "d"})).Proto, "p")
	must(client.PutClass(ctx, &nasty.Class{Class: "go", DotsIn: 5, OrderID: nasty.Pointer("1"), OrderID2: nasty.Pointer(2), OrderID3: nasty.Pointer(nasty.Decimal("3")), Other_: nasty.Pointer("o")}))
	page := got(client.Delete(ctx, nasty.DeleteParameters{Class: "go", In: 5}, nasty.PageOptions{}))
	equal(*page.Items[0].OrderID2, 2)
	equal(*page.Items[0].Other_, "o")
}

func testSystems(db *dynamodb.Client) {
	e := got(ecommerce.Connect(ctx, db, ecommerce.TableName))
	must(e.PutCustomer(ctx, &ecommerce.Customer{CustomerID: "go", Name: ecommerce.Pointer("Ann")}))
	must(e.PutOrder(ctx, &ecommerce.Order{CustomerID: "go", OrderID: "o1"}))
	must(e.PutItem(ctx, &ecommerce.Item_{CustomerID: "go", OrderID: "o1", ProductID: "p1", Quantity: ecommerce.Pointer(2), Price: ecommerce.Pointer(ecommerce.Decimal("9.95"))}))
	equal(len(got(e.CustomerCollection(ctx, ecommerce.CustomerCollectionParameters{Customer: "go"}, ecommerce.PageOptions{})).Items), 3)
	equal(*got(e.LatestOrders(ctx, ecommerce.LatestOrdersParameters{Customer: "go"}, ecommerce.PageOptions{})).Items[0].TotalAmount, ecommerce.Decimal("19.9"))
	s := got(shop.Connect(ctx, db, shop.TableName))
	must(s.PutProduct(ctx, &shop.Product{ProductID: "go", Name: shop.Pointer("Gopher")}))
	equal(*got(s.ShopProduct(ctx, shop.ShopProductParameters{Product: "go"}, shop.PageOptions{})).Items[0].Name, "Gopher")
	c := got(schools.Connect(ctx, db, schools.TableName))
	// a put could be one of a school
	got(c.UpdatePupil(ctx, schools.PupilKey{SchoolID: "go", PupilID: 7}, schools.Update[schools.PupilChanges]{Set: schools.PupilChanges{Name: schools.Pointer("Bea")}}))
	equal(*got(c.PupilsOfSchool(ctx, schools.PupilsOfSchoolParameters{School: "go"}, schools.PageOptions{})).Items[0].Name, "Bea")
	o := got(organizations.Connect(ctx, db, organizations.TableName))
	got(o.UpdateUser(ctx, organizations.UserKey{Org: "Go", UserID: "u1"}, organizations.Update[organizations.UserChanges]{}))
	equal(*got(o.OrganizationUser(ctx, organizations.OrganizationUserParameters{Org: "Go", ID: "u1"}, organizations.PageOptions{})).Items[0].UserType, "Member")
	t := got(tickets.Connect(ctx, db, tickets.TableName))
	must(t.PutTicket(ctx, &tickets.Ticket{TicketID: "go1", Org: tickets.Pointer("Go"), UserID: tickets.Pointer("u1")}))
	equal(*got(t.GetTicket(ctx, tickets.TicketKey{TicketID: "go1"})).Org, "Go")
	st := got(stores.Connect(ctx, db, stores.TableName))
	must(st.PutStore(ctx, &stores.Store{Country: "GO", State: "A", City: "B", Zip: "1", Street: stores.Pointer("x")}))
	equal(len(got(st.StoresIn(ctx, stores.StoresInParameters{Country: "GO", State: stores.Pointer("A"), City: stores.Pointer("B")}, stores.PageOptions{})).Items), 1)
	got(customers.Connect(ctx, db, customers.TableName))
	got(books.Connect(ctx, db, books.TableName))
	h := got(hr.Connect(ctx, db, hr.TableName))
	must(h.PutEmployee(ctx, &hr.Employee{EmployeeID: "go", Name: "Dot"}))
	equal(len(got(h.HrEmployee(ctx, hr.HrEmployeeParameters{Employee: "go"}, hr.PageOptions{})).Items), 1)
}

func main() {
	db := dynamodb.New(dynamodb.Options{
		Region:           "us-east-1",
		EndpointResolver: dynamodb.EndpointResolverFromURL(os.Args[1]),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: os.Args[2], SecretAccessKey: os.Args[3]}, nil
		}),
	})

	testDesk(db)
	testNasty(db)
	testSystems(db)
	var changed *desk.ModelChangedError
	_, err := desk.Connect(ctx, db, shop.TableName)
	equal(errors.As(err, &changed), true)
	fmt.Println("ok")
}
